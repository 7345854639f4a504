import autocannon from 'autocannon';
import { withNumber, withText } from './numbers.mjs';

/* Loads a server with autocannon: `node autocannon-load.mjs LOAD-JSON`. Prints its report as JSON. */
const { request, seconds, connections } = JSON.parse(process.argv[2]);
const { url, method = 'GET', headers = {}, body, numbers, texts } = request;
let number = numbers?.first ?? 0;

const next = texts ? withText : withNumber;
const requests = (numbers ?? texts) && [{ setupRequest: (built) => ({ ...built, body: next(request, number++).body }) }];
const report = await autocannon({ url, method, headers, body, requests, connections, duration: seconds });
process.stdout.write(JSON.stringify(report));
