export { ConfigurationError, loadConfiguration, loadLogSettings, type Configuration } from './load-configuration.js';
export { coreSettings, groupSettings, listSettings, type Deployment, type SettingGroup } from './core-settings.js';
export { loadEnvironmentFile } from './environment-file.js';
export { describeNearVariable, findNearVariables } from './near-variables.js';
export { VERSION } from './version.js';
