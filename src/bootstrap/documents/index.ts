export { readSources, renderEventCatalog } from './event-catalog.js';
