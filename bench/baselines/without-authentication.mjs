import { AuthenticationHook } from '../../dist/src/auth/index.js';

/** The service itself, but that no request is authenticated and so none is counted against a limit. */
AuthenticationHook.prototype.run = () => undefined;
await import('../../dist/src/main.js');
