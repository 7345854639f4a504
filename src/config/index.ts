export { ConfigurationError, loadConfiguration, loadLogSettings, type Configuration } from './load-configuration.js';
export { loadEnvironmentFile } from './environment-file.js';
export { describeNearVariable, findNearVariables } from './near-variables.js';
export { variables, type Deployment } from './variables.js';
export { VERSION } from './version.js';
