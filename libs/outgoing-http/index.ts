export { OutgoingHttp, type OutgoingHttpOptions, type PostOutcome, type PostRequest } from './outgoing-http.js';
export { type Resolve } from './look-up.js';
