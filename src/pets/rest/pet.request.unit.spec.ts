import fc from 'fast-check';
import { parseJson, INT64_MAX, INT64_MIN } from '#libs/http';
import { AddPet, preparePetAppend } from '../commands/add-pet.command.js';
import { readNewPet } from './pet.request.js';

describe('the body of a request that adds an animal', () => {
  it('keeps every int64 written in digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (categoryId) => {
        expect(read(`{"name":"Rex","categoryId":${categoryId}}`)).toMatchObject({ name: 'Rex', categoryId, status: undefined });
      }),
    );
  });

  it.each(['1.0', '1e3', '-0', '"7"', 'null', 'true', '[7]', '{"source":"7"}', '9223372036854775808', '-9223372036854775809'])(
    'refuses the category %s',
    (categoryId) => {
      expect(() => accept(`{"name":"Rex","categoryId":${categoryId}}`)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(/^categoryId must be an integer/) }),
      );
    },
  );

  it.each(['null', '[]', '"Rex"', '7', 'true'])('must be an object, not %s', (body) => {
    expect(() => read(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('a JSON object') }),
    );
  });

  it('must not be empty', () => {
    expect(() => readNewPet(undefined)).toThrow('The body must be a JSON object');
  });

  it.each(['id', 'Name', 'constructor', '__proto__'])('names the unknown field %s', (field) => {
    expect(() => read(`{"name":"Rex","categoryId":7,"${field}":1}`)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(`"${field}" is not a field of a new animal`) }),
    );
  });

  it('names unknown fields together with every other fault', () => {
    expect(() => read('{"id":1,"status":null,"colour":"red"}')).toThrow(
      /name must.*; categoryId must.*; status must.*; "id" is.*; "colour" is/,
    );
  });
});

function read(json: string) {
  return new AddPet(readNewPet(parseJson(json)), { actor: 'system' });
}

function accept(json: string) {
  return preparePetAppend(read(json));
}
