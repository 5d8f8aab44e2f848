/**
 * matched pairs the calls of two rollouts: the longest common subsequence of
 * their tools. Each place holds that of its partner, or -1; null where the
 * sequences are too long to be compared.
 */
export function matched(a, b) {
  if (a.length * b.length > 4e6) return null;
  const w = b.length + 1, table = new Uint16Array((a.length + 1) * w);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * w + j] = a[i].name === b[j].name ? table[(i + 1) * w + j + 1] + 1 : Math.max(table[(i + 1) * w + j], table[i * w + j + 1]);
    }
  }
  const left = a.map(() => -1), right = b.map(() => -1);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i].name === b[j].name) {
      left[i] = j;
      right[j++] = i++;
    } else if (table[(i + 1) * w + j] >= table[i * w + j + 1]) i++;
    else j++;
  }
  return [left, right];
}
