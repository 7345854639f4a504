export { definePage, defineSchema, standaloneSchema, timeSchema } from './components.js';
export { installReference } from './install-reference.js';
export type { ReferenceOptions } from './reference/reference-html.js';
export { buildOpenApiDocument, renderOpenApiDocument, type ServiceDescription } from './openapi-document.js';
