#!/usr/bin/env node
// Starts the binary of this system, which npm has installed as an optional dependency.
const { spawn } = require('node:child_process');
const fs = require('node:fs');

const name = `gonogo-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/gonogo`);
} catch {
  console.error(`gonogo: the package ${name} is not installed: either gonogo has no binary for this system, or npm left optional dependencies out`);
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl-C to both; without one, and of other signals, the binary gets what this process gets.
let terminal = true;
try {
  fs.closeSync(fs.openSync('/dev/tty', 'r'));
} catch {
  terminal = false;
}
process.on('SIGINT', () => terminal || child.kill('SIGINT'));
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (err) => {
  console.error(`gonogo: start ${binary}: ${err.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
