export { ConfigurationError, loadConfiguration, loadLogSettings, type Configuration } from './load-configuration.js';
export { coreGroups, coreSettings, listSettings, type Deployment } from './core-settings.js';
export { loadEnvironmentFile } from './environment-file.js';
export { describeNearVariable, findNearVariables } from './near-variables.js';
export { VERSION } from './version.js';
