import { commandClass, commandPath } from './commands.mjs';

/** How the rest of the service gets to know the module. */
export const compositionFiles = (model) => [
  ['index.ts', contribution(model)],
  [`${model.many.kebab}.module.ts`, nestModule(model)],
];

function contribution({ one, many }) {
  const title = many.prose.charAt(0).toUpperCase() + many.prose.slice(1);
  return `import { domainModule } from '#libs/http';
import { ${many.pascal}Module } from './${many.kebab}.module.js';
import { ${one.camel}Events } from './domain/${one.kebab}.events.js';
import { ${many.camel}Projection } from './read-model/${many.kebab}.projection.js';
import { published${many.pascal} } from './rest/${one.kebab}.request.js';

/** The ${many.prose}. */
export const ${many.camel} = domainModule({
  name: '${many.kebab}',
  module: ${many.pascal}Module,
  events: ${one.camel}Events,
  publishes: [published${many.pascal}],
  projections: [${many.camel}Projection],
  scopes: { '${many.kebab}': { description: 'REST under \`/v1/${many.kebab}\`' } },
  documentTag: { title: '${title}', description: 'The ${many.prose}.' },
});
`;
}

function nestModule(model) {
  const { one, many, add, others } = model;
  const commands = [add, ...others];
  const handlers = commands.map((each) => `${commandClass(model, each)}Handler`);
  return `import { Module } from '@nestjs/common';
${commands.map((each, index) => `import { ${handlers[index]} } from './${commandPath(model, each)}.js';`).join('\n')}
import { ${many.pascal}Resolver } from './graphql/${many.kebab}.resolver.js';
import { Count${many.pascal}Handler, Get${one.pascal}Handler, List${many.pascal}Handler } from './queries/${many.kebab}.query.js';
import { ${one.pascal}Reader } from './read-model/${many.kebab}.projection.js';
import { ${many.pascal}Controller } from './rest/${many.kebab}.controller.js';

const commandHandlers = [${handlers.join(', ')}];
const queryHandlers = [Count${many.pascal}Handler, Get${one.pascal}Handler, List${many.pascal}Handler];

/** The ${many.prose} over REST and GraphQL. */
@Module({
  controllers: [${many.pascal}Controller],
  providers: [...commandHandlers, ...queryHandlers, ${many.pascal}Resolver, ${one.pascal}Reader],
})
export class ${many.pascal}Module {}
`;
}
