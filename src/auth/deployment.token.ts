/** Injection token of the `Deployment` this service is. */
export const DEPLOYMENT = Symbol('DEPLOYMENT');
