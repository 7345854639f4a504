export { ManagementServer, type ManagementAddress, type ManagementAnswer, type ManagementPage } from './management-server.js';
