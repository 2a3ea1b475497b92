// Runs a module under WASI, once for each request. usage: run.mjs MODULE
// A request is a line of JSON on standard input: {"arguments": [...], "stdin": PATH, "stdout": PATH,
// "stderr": PATH}; its answer is the exit status (70: a trap) as a line on standard output.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { WASI } from 'node:wasi';

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const [stdin, stdout, stderr] = [openSync(request.stdin, 'r'), openSync(request.stdout, 'w'),
                                   openSync(request.stderr, 'w')];
  const wasi = new WASI({ version: 'preview1', args: ['driver', ...request.arguments], env: {},
                          stdin, stdout, stderr, returnOnExit: true });
  let status = 70;
  try {
    status = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
  } catch (error) { // node 20 cannot make text of its stack
    writeSync(stderr, `trap: ${error.message}\n`);
  }
  for (const file of [stdin, stdout, stderr]) closeSync(file);
  writeSync(1, `${status}\n`);
}
