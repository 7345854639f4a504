export { renderEventCatalog } from './event-catalog.js';
export { eventMentions } from './event-mentions.js';
