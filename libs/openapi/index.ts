export { definePage, defineSchema } from './components.js';
export { installReference } from './install-reference.js';
export { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi-document.js';
