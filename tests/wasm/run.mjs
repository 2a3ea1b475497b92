// Runs a module under WASI with the standard streams of this process. usage: run.mjs MODULE [ARG...]
import { readFileSync, writeSync } from 'node:fs';
import { WASI } from 'node:wasi';

const [path, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: ['driver', ...args], env: {},
                        returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(path), wasi.getImportObject());
let status = 70;
try {
  status = wasi.start(instance);
} catch (error) { // a trap; node 20 cannot make text of its stack
  writeSync(2, `trap: ${error.message}\n`);
}
process.exit(status); // at once: node 20 may crash when it collects a memory that has grown
