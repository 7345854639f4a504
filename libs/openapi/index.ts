export { defineSchema } from './components.js';
export { AcceptsEntityTag } from './entity-tag.decorator.js';
export { createdHeaders, deprecationHeaders, entityTagHeader, nextPageHeader } from './headers.js';
export { installReference } from './install-reference.js';
export { buildOpenApiDocument, renderOpenApiDocument, type BaseUrls } from './openapi-document.js';
export { Answers, Refuses, RefusesInGeneral, RefusesWith, type DescribedAnswer } from './responses.decorator.js';
export { Stability } from './stability.decorator.js';
