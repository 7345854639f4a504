import { wholeNumber } from '#libs/cli-kit';

/** @throws ApplicationError `invalid_parameter` unless the text is a key's id in plain digits. */
export const parseKeyId = wholeNumber("ID must be an API key's number in plain digits, such as 7", 1n);
