import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

type Done = () => void;

/** A method of a route, such as `POST /v1/pets`. */
class Operation {
  inProgress = 0;
}

/**
 * The requests that the service has something to do for: those that have arrived and whose answer is not made yet. One whose body is
 * on its way waits for its client, and so does an answer that is not read; neither is in progress, however long it takes.
 */
export class RequestsInProgress {
  private readonly operations = new Map<string | undefined, Map<string, Operation>>();

  /** Adds the hooks that tell when a body has arrived and when an answer is made; once, before the routes. */
  watch(instance: FastifyInstance): void {
    instance.decorateRequest('operation');
    instance.addHook('preParsing', this.pause);
    instance.addHook('preValidation', this.resume);
    instance.addHook('onSend', this.end);
  }

  /** Takes a request for one in progress unless `most` of its operation are already. Returns whether it did. */
  begin(request: FastifyRequest, most: number): boolean {
    const operation = this.operationOf(request);
    if (operation.inProgress >= most) return false;
    this.add(request, operation);
    return true;
  }

  private readonly pause = (request: FastifyRequest, _reply: FastifyReply, _payload: unknown, done: Done): void => {
    if (request.context.hasBody && !request.raw.complete) endProgress(request);
    done();
  };

  private readonly resume = (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    if (request.context.hasBody && !request.operation) this.add(request, this.operationOf(request));
    done();
  };

  private readonly end = (request: FastifyRequest, _reply: FastifyReply, _payload: unknown, done: Done): void => {
    endProgress(request);
    done();
  };

  private add(request: FastifyRequest, operation: Operation): void {
    operation.inProgress += 1;
    request.operation = operation;
  }

  private operationOf({ method, context }: FastifyRequest): Operation {
    const template = context.routeInfo?.template;
    const known = this.operations.get(template)?.get(method);
    if (known) return known;
    const operation = new Operation();
    const methods = this.operations.get(template) ?? new Map<string, Operation>();
    this.operations.set(template, methods.set(method, operation));
    return operation;
  }
}

/** From now on the service has nothing to do for the request until something happens. */
export function endProgress(request: FastifyRequest): void {
  if (!request.operation) return;
  request.operation.inProgress -= 1;
  request.operation = undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the request is counted for; undefined while it is not in progress. */
    operation: Operation | undefined;
  }
}
