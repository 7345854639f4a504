/** An object with a sample of each field, as JSON has it. @param index which of the samples, from 0 */
export const sampleOf = (fields, index) => `{ ${fields.map(({ name, kind }) => `${name}: ${kind.samples[index]}`).join(', ')} }`;

/** Samples of fields as the domain has them, as members. */
export const domainSample = (fields, index) =>
  fields
    .map(
      ({ name, kind }) =>
        `${name}: ${kind.type === 'bigint' ? `${kind.samples[index]}n` : kind.type === 'Date' ? `new Date(${kind.samples[index]})` : kind.samples[index]}`,
    )
    .join(', ');
/** The same as an event has them. */
export const eventSample = (fields, index) =>
  fields.map(({ name, kind }) => `${name}: ${kind.type === 'bigint' ? `'${kind.samples[index]}'` : kind.samples[index]}`).join(', ');
/** The same as JSON text in single quotes. */
export const jsonText = (fields, index) => fields.map(({ name, kind }) => `"${name}":${kind.samples[index]}`).join(',');
/** The same as words of the command line. */
export const typed = (fields, index) => fields.map(({ option, kind }) => `'${option}', '${typedSample(kind, index)}'`).join(', ');
/** What of that a result shows, as members of a test's expectation. */
export const typedResult = (fields) =>
  fields.map(({ name, kind }) => `${name}: ${kind.typed ? `'${kind.typed[0]}'` : kind.samples[0]}`).join(', ');

const typedSample = (kind, index) => kind.typed?.[index] ?? kind.samples[index].replaceAll('"', '');

export const graphqlSample = ({ type, words, samples: [sample] }) =>
  words ? `'${words[0].replaceAll('-', '_').toUpperCase()}'` : type === 'bigint' ? `'${sample}'` : sample;

/** Samples of fields as the client takes them, as members. */
export const clientSample = (fields, index) =>
  fields.map(({ name, kind }) => `${name}: ${kind.type === 'bigint' ? `${kind.samples[index]}n` : kind.samples[index]}`).join(', ');

/** Whether a module is about animals, whose tests may need those that the samples name. */
export const aboutAnimals = (fields) => fields.some(({ name, kind }) => name === 'petId' && kind.type === 'bigint');

/** A statement that adds them to a service. */
export const addAnimals = (fields) =>
  aboutAnimals(fields) ? "for (const name of ['Rex', 'Ana', 'Tom']) await service.client.post('/v1/pets', { name, categoryId: 7 });" : '';
