export type { Resolve } from './dns-lookup.js';
export { OutgoingHttp, type OutgoingHttpOptions, type PostOutcome, type PostRequest } from './outgoing-http.js';
