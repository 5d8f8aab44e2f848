// A model without chance, and a judge: what is answered depends on the question and on
// how often it was asked.
const asked = new Map();

module.exports = class {
  constructor(options) { this.judge = options.config?.judge; }

  id() { return this.judge ? 'judge' : 'scripted'; }

  async callApi(prompt) {
    const tokenUsage = { total: 16, prompt: 11, completion: 5 };
    if (this.judge) {
      if (prompt.includes('blue')) return { error: 'the judge is down' };
      return { output: '{"pass":true,"score":0.7,"reason":"fine"}', tokenUsage: { total: 9, prompt: 7, completion: 2 } };
    }
    const n = asked.get(prompt) ?? 0;
    asked.set(prompt, n + 1);
    if (prompt.includes('model fails')) return { error: 'the model is down' };
    if (prompt.includes('model throws')) throw new Error('the model is gone');
    if (prompt.includes('nothing')) return { output: '', tokenUsage };
    if (prompt.includes('cut off')) return { output: 'The pri', tokenUsage, finishReason: 'length' };
    if (prompt.includes('tool')) return { output: [{ id: 'c1', type: 'function', function: { name: 'price', arguments: '{"of":"fig"}' } }], tokenUsage };
    const fruit = prompt.includes('blue') ? 'blue ' : '';
    return { output: n % 2 ? `The ${fruit}one is 3 dollars.` : `The ${fruit}one is 4 dollars.`, tokenUsage, cost: 0.001 };
  }
};
