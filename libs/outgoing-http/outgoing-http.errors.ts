/** A URL that nothing is sent to. The message continues "url …" and is fit for whoever gave the URL. */
export class RefusedEndpointError extends Error {}

/** Why an exchange did not come to an answer, in words fit for the endpoint's owner. */
export class ExchangeFailedError extends Error {}
