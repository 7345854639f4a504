import type { FastifyInstance } from 'fastify';
import { printSchema, type GraphQLSchema } from 'graphql';
import Negotiator from 'negotiator';
import { ApplicationError } from '#libs/observability';

const PLAIN_TEXT = 'text/plain';
const REPRESENTATIONS = [PLAIN_TEXT, `${PLAIN_TEXT};charset=utf-8`];

/** Prints a schema in the schema definition language, each description on lines of its own. */
export function renderSdl(schema: GraphQLSchema): string {
  return `${printSchema(schema).replace(/^( *)"""(.+)"""$/gm, '$1"""\n$1$2\n$1"""')}\n`;
}

/** Serves a schema in the schema definition language at `PATH/schema`, even if introspection is off. */
export function serveSdl(
  instance: FastifyInstance,
  schema: GraphQLSchema,
  { path, scope }: { readonly path: string; readonly scope: string },
): void {
  let printed: string | undefined;
  instance.get(`${path}/schema`, {
    config: { access: { scope } },
    onRequest: (request, _reply, done) => {
      checkAccept(request.headers.accept);
      done();
    },
    handler: (_request, reply) => reply.type('text/plain; charset=utf-8').send((printed ??= renderSdl(schema))),
  });
}

/** @throws ApplicationError `not_acceptable` if the client does not accept plain text */
function checkAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '' || new Negotiator({ headers: { accept } }).mediaType(REPRESENTATIONS) !== undefined) return;
  throw new ApplicationError('not_acceptable', `The response is ${PLAIN_TEXT}, which the Accept header does not allow.`);
}
