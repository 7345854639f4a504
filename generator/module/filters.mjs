import pluralize from 'pluralize';

/**
 * The filters of a module's list: ids, words, ids of others and a time, each with its line of code and what tests and the client say of it.
 * Lists are ordered by that time too, so it is the first one that every row has and no command changes.
 */
export function filtersOf({ many, shown, changes }) {
  const changed = changes.flatMap(({ fields }) => fields);
  const time = shown.find((field) => field.kind.type === 'Date' && !field.optional && !changed.includes(field));
  const line = 'ids: ' + call('ids', "'id'", { parameter: 'ids', description: `Only the ${many.prose} with these ids.` });
  return [
    { name: 'ids', parameter: 'ids', member: 'id', line, clientType: 'OneOrMore<Id>', clientText: 'int64Texts' },
    ...shown.filter(({ kind }) => kind.words).map((field) => byWords(many, field)),
    ...shown.filter(({ name, kind }) => kind.type === 'bigint' && name.endsWith('Id')).map((field) => byIds(many, field)),
    ...(time ? [byTime(many, time, 'since', 'is this moment or later'), byTime(many, time, 'before', 'is before this moment')] : []),
  ];
}

function byWords(many, { name: member, kind, optional, placeholder }) {
  const name = `${member}In`;
  const unset = optional && !kind.words.includes('unset') ? 'unset' : undefined;
  const options = { parameter: member, unset, description: withOneOf(many, placeholder) };
  const types = [...kind.words, unset].filter(Boolean).map((word) => `'${word}'`);
  return {
    ...{ name, parameter: member, member, kind, samples: kind.words.slice(0, 2) },
    line: `${name}: ${call('words', `'${member}', ${kind.list}`, options)}`,
    inGraphql: `[${kind.words[0].replaceAll('-', '_').toUpperCase()}]`,
    ...{ clientType: `OneOrMore<${types.join(' | ')}>`, clientText: 'joined' },
  };
}

function byIds(many, { name: member, kind, placeholder }) {
  const name = `${member.slice(0, -'Id'.length)}In`;
  return {
    ...{ name, parameter: member, member, kind, samples: kind.samples.slice(0, 2) },
    line: `${name}: ${call('ids', `'${member}'`, { parameter: member, description: withOneOf(many, placeholder) })}`,
    inGraphql: `[${kind.samples[0]}]`,
    ...{ clientType: 'OneOrMore<Id>', clientText: 'int64Texts' },
  };
}

function byTime(many, { name: member, kind }, comparison, comparedWith) {
  const name = `${member.replace(/(?<=.)At$/, '')}${comparison === 'since' ? 'Since' : 'Before'}`;
  const [earlier, later] = kind.samples.map((sample) => sample.replaceAll('"', ''));
  const samples = comparison === 'since' ? [earlier, later] : [later, earlier];
  return {
    ...{ name, parameter: name, member, kind, samples },
    line: `${name}: ${call(comparison, `'${member}'`, { parameter: name, description: `Only ${many.prose} whose \`${member}\` ${comparedWith}.` })}`,
    inGraphql: `"${samples[0]}"`,
    ...{ clientType: 'Moment', clientText: 'momentText' },
  };
}

const withOneOf = (many, placeholder) => `Only ${many.prose} with one of these ${pluralize(placeholder.replaceAll('-', ' '))}.`;

function call(kind, words, options) {
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : `${name}: '${value}'`));
  return `filter.${kind}(${words}, { ${given.join(', ')} }),`;
}
