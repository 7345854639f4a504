import { slow } from './jest.config.mjs';

// One part of what `npm test` would be, in a run of its own: it takes longer than all the rest.
export default slow;
