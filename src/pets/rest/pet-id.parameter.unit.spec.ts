import { readPetId } from './pet-id.parameter.js';

describe('the petId of a path', () => {
  it.each(['1', '0', '-1', '9223372036854775807', '-9223372036854775808'])('is any int64 in plain digits: %s', (text) => {
    expect(readPetId(text)).toBe(BigInt(text));
  });

  it.each(['', 'abc', '1.0', '1e3', '-0', '01', '+1', ' 1', '9223372036854775808', '-9223372036854775809'])('is not %j', (text) => {
    expect(() => readPetId(text)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(/^petId must be/) }),
    );
  });
});
