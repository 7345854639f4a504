/** Where the service runs. A key of one deployment is worth nothing in another. */
export type Deployment = 'development' | 'staging' | 'production';

/** Injection token of the `Deployment` this service is. */
export const DEPLOYMENT = Symbol('DEPLOYMENT');
