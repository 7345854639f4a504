// Stands in for curl on a machine without it, for the options that the README uses.
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    include: { type: 'boolean', short: 'i' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    request: { type: 'string', short: 'X' },
  },
});

const headers = values.header.map((line) => line.split(/:\s*/, 2));
const method = values.request ?? (values.data === undefined ? 'GET' : 'POST');
const response = await fetch(positionals[0], { method, headers, body: values.data });

if (values.include) {
  console.log(`HTTP/1.1 ${response.status} ${response.statusText}`);
  for (const [name, value] of response.headers) console.log(`${name}: ${value}`);
  console.log();
}
process.stdout.write(await response.text());
