import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipelineOf } from './pipeline.js';

const SILENT_FOR_MILLISECONDS = 500;

/** The open connections of the service, and how they are brought to their end. */
export class Connections {
  private readonly servers: Server[] = [];
  private readonly sockets = new Map<Socket, number>();
  private isDraining = false;

  /** Keeps account of a server's connections. */
  watch(server: Server): void {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => {
      this.sockets.set(socket, performance.now());
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** To be called for every response before it is answered. */
  prepare(response: ServerResponse): void {
    if (this.isDraining) response.shouldKeepAlive = false;
  }

  /** From now on every answer, also to a request under way, says `Connection: close` and closes its connection. */
  drain(): void {
    this.isDraining = true;
    for (const socket of this.sockets.keys()) {
      const exchange = pipelineOf(socket)?.latest;
      if (exchange) exchange.response.shouldKeepAlive = false;
    }
  }

  /** Closes connections that wait for nothing: those between two requests, and those that never sent a byte. */
  closeIdle(): void {
    for (const server of this.servers) server.closeIdleConnections();
    for (const [socket, openedAt] of this.sockets) {
      // To Node a connection that has not spoken yet is busy with its first request.
      if (socket.bytesRead === 0 && performance.now() - openedAt > SILENT_FOR_MILLISECONDS) socket.destroy();
    }
  }

  /** Closes all, whatever is under way. */
  cut(): void {
    for (const socket of this.sockets.keys()) socket.destroy();
  }
}
