import { type DescribedBody, definePage, defineSchema, getInputSchema } from '#libs/http';
import { AddBlankForm } from '../commands/add-blank-form.command.js';

export const blankFormExample = { id: 17, name: 'First' };

/** The body of a request that adds one. */
export const newBlankFormBody: DescribedBody = {
  type: AddBlankForm,
  schema: 'NewBlankForm',
  description: 'What is to be added to the blank forms.',
  noun: 'a new blank form',
  examples: { named: { value: { name: 'First' } } },
};

export const blankFormSchema = defineSchema('BlankForm', {
  type: 'object',
  description: 'One of the blank forms.',
  required: ['id', ...getInputSchema(AddBlankForm).required],
  additionalProperties: false,
  properties: {
    id: { type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service when it is added; never used again.' },
    ...getInputSchema(AddBlankForm).properties,
  },
});

export const blankFormsSchema = definePage('BlankForms', blankFormSchema, 'A page of the blank forms, ascending by id.');
