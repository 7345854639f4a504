import type { Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { setHandlerMetadata } from './route-config.js';

/** A part of admission that concerns some routes alone: a provider of the module whose routes name it. */
export abstract class AdmissionCheck {
  /**
   * Looks at the head of a request whose caller is known, before anything is refused for its method's or its body's sake.
   * @throws ApplicationError to refuse it, also as a rejection
   */
  abstract check(request: FastifyRequest): Promise<void> | void;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    admittedBy?: Type<AdmissionCheck>;
  }
}

/** Lets requests in only where the check does: on a controller or one of its handlers. */
export function AdmittedBy(check: Type<AdmissionCheck>): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ admittedBy: check });
}
