import type { FastifyRequest } from 'fastify';

/** Which client address the log tells; who counts requests decides what one is. */
export interface ClientAddresses {
  ofRequest(request: FastifyRequest): string;
  /** The same for a connection on which no request could be read. */
  ofConnection(remoteAddress: string | undefined): string;
}
