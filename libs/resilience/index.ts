export { CircuitBreaker, type CircuitBreakerOptions } from './circuit-breaker.js';
