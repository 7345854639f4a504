export { CachedReading, type BoundedSampleOptions } from './cached-reading.js';
export { Health, HealthCatalog, type HealthIndicator, type HealthIndicatorResult, type HealthReport } from './health.js';
export { Html, html, type HtmlPart } from './html.js';
export { serveIndex, type IndexPage } from './index-page.js';
export { CSS, HTML, JAVASCRIPT, keptKeyScript, readPageFile, serveLocalPage, type LocalPage, type PageFile } from './local-page.js';
export {
  ManagementServer,
  originOf,
  type ManagementAddress,
  type ManagementAnswer,
  type ManagementPage,
  type ManagementRequest,
} from './management-server.js';
export { MetricsRegistry } from './metrics-registry.js';
export { MonitoringModule } from './monitoring.module.js';
export type { RetentionRule } from './retention-rule.js';
