import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { blankFormDecider } from '../domain/blank-form.decider.js';
import type { BlankFormAdded, BlankFormEvent } from '../domain/blank-form.events.js';

const added: BlankFormAdded = { type: 'blank-form-added', data: { name: 'First' } };
const renamed: BlankFormEvent = { type: 'blank-form-renamed', data: { name: 'Second' } };

describe('the rules of the blank forms', () => {
  it('add one with its name', () => {
    given(blankFormDecider).when({ kind: 'add', name: 'First' }).then(added);
  });

  it('add none a second time', () => {
    given(blankFormDecider, added).when({ kind: 'add', name: 'First' }).thenRefused('blank_form_already_added');
  });

  it('rename what was added', () => {
    given(blankFormDecider, added).when({ kind: 'rename', id: 1n, name: 'Second' }).then(renamed);
  });

  it('give no event for the name that it has', () => {
    given(blankFormDecider, added, renamed).when({ kind: 'rename', id: 1n, name: 'Second' }).then();
  });

  it('rename nothing that was never added', () => {
    given(blankFormDecider).when({ kind: 'rename', id: 1n, name: 'Second' }).thenRefused('not_found');
  });

  it('pass over what a newer build has written', () => {
    fc.assert(
      fc.property(withNewerEvents([added, renamed]), (events) => {
        const state = events.reduce((before, event) => blankFormDecider.evolve(before, event), blankFormDecider.initialState);
        expect(state).toEqual({ kind: 'present', name: 'Second' });
      }),
    );
  });
});
