export { ConfigurationError, DEPLOYMENTS, type Configuration, type Deployment, type LogLevel } from './configuration.js';
export { loadConfiguration, loadLogSettings } from './load-configuration.js';
export { loadEnvironmentFile } from './environment-file.js';
export { describeNearVariable, nearVariables, type NearVariable } from './near-variables.js';
export { VERSION } from './version.js';
export { variables, type VariableName } from './variables.js';
