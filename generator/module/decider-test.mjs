import { lines } from './imports.mjs';
import { domainSample, eventSample } from './samples.mjs';

/** A test of the rules. */
export const deciderTestFiles = (model) => [[`test/${model.one.kebab}.decider.unit.spec.ts`, deciderTest(model)]];

const stateOf = ({ fields, add, status }, index) => `${domainSample(fields, index)}${status ? `, status: '${add.past.kebab}'` : ''}`;

function deciderTest(model) {
  const { one, many, fields, add, others } = model;
  const event = (past, data) => `{ type: '${one.kebab}-${past.kebab}', data: { ${data} } }`;
  const command = (other, index) =>
    `{ kind: '${other.verb.kebab}', id: 1n${other.fields ? `, ${domainSample(other.fields, index)}` : ''} }`;
  const dataOf = (other) => (other.fields ? eventSample(other.fields, 1) : '');
  const text = `
const begun: ${one.pascal}Event = ${event(add.past, eventSample(fields, 0))};
${lines(others.map((other) => `const ${other.past.camel}Event: ${one.pascal}Event = ${event(other.past, dataOf(other))};`))}

describe('the rules of the ${many.prose}', () => {
  it('${add.verb.prose} one with what was said', () => {
    given(${one.camel}Decider).when({ kind: '${add.verb.kebab}', ${one.camel}: { ${domainSample(fields, 0)} } }).then(begun);
  });
${others
  .map(
    (other) => `
  it('${other.verb.prose} one', () => {
    given(${one.camel}Decider, begun).when(${command(other, 1)}).then(${other.past.camel}Event);
  });

  it('give no event for one that is ${other.past.prose} so already', () => {
    given(${one.camel}Decider, begun, ${other.past.camel}Event).when(${command(other, 1)}).then();
  });

  it('${other.verb.prose} none that there never was', () => {
    given(${one.camel}Decider).when(${command(other, 1)}).thenRefused('not_found');
  });
`,
  )
  .join('')}
  it('pass over what a newer build has written', () => {
    fc.assert(
      fc.property(withNewerEvents([begun]), (events) => {
        const state = events.reduce((before, event) => ${one.camel}Decider.evolve(before, event), ${one.camel}Decider.initialState);
        expect(state).toEqual({ kind: 'present', ${stateOf(model, 0)} });
      }),
    );
  });
});
`;
  return `import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { ${one.camel}Decider } from '../domain/${one.kebab}.decider.js';
import type { ${one.pascal}Event } from '../domain/${one.kebab}.events.js';
${text}`;
}
