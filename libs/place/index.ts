export { installationFolder, place, type Place } from './place.js';
export { isInWritableLayer } from './writable-layer.js';
