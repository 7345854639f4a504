export { ConfigurationError, DEPLOYMENTS, type Configuration, type Deployment, type LogLevel } from './configuration.js';
export { loadConfiguration } from './load-configuration.js';
export { loadEnvironmentFile } from './environment-file.js';
export { VERSION } from './version.js';
export { variables, type VariableName } from './variables.js';
