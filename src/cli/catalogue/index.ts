export { addCatalogued, catalogueOf, type CataloguedCommand } from './catalogue.js';
export { judgeUsage } from './judge-usage.js';
