import { refuseFromSunset } from './get-pet-deprecation.js';

describe('the operation that gets one animal', () => {
  it('is served until the last millisecond before 5 December 2030, 00:00 UTC', () => {
    expect(() => refuseFromSunset(new Date('2030-12-04T23:59:59.999Z'))).not.toThrow();
  });

  it.each(['2030-12-05T00:00:00.000Z', '2031-01-01T00:00:00.000Z'])('is gone at %s', (now) => {
    expect(() => refuseFromSunset(new Date(now))).toThrow(
      expect.objectContaining({ code: 'gone', message: expect.stringContaining('GET /v1/pets') }),
    );
  });
});
