export { composeModules, type ComposedModules } from './compose-modules.js';
export { domainModule, type DomainModule, type ScopeDefinition } from './domain-module.js';
