/** The version of the service, which `package.json` and `CHANGELOG.md` name too. */
export const VERSION = '1.0.0';
