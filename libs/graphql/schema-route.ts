import type { FastifyInstance } from 'fastify';
import { printSchema, type GraphQLSchema } from 'graphql';
import { chooseMediaType } from '#libs/http';

const PLAIN_TEXT = 'text/plain';

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
      chooseMediaType(request.headers.accept, [PLAIN_TEXT]);
      done();
    },
    handler: (_request, reply) => reply.type(`${PLAIN_TEXT}; charset=utf-8`).send((printed ??= renderSdl(schema))),
  });
}
