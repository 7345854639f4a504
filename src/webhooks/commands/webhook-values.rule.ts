import { IsBoolean, ValidateBy } from 'class-validator';
import { eventTypeSchema } from '#libs/public-events';
import { IsText, isText, textErrors } from '#libs/validation';

const LONGEST_URL = 2_048;
const LONGEST_DESCRIPTION = 1_000;

/** The property can be the address of an endpoint; whether that may be called is another matter. */
export function IsWebhookUrl(): PropertyDecorator {
  return IsText(LONGEST_URL);
}

/** Whether the rule of `IsWebhookUrl`, and that of all texts, let the value through. */
export function isWebhookUrl(value: unknown): value is string {
  return isText(value, LONGEST_URL) && textErrors('url', value).length === 0;
}

/** The property can be what the owner says of an endpoint. */
export function IsWebhookDescription(): PropertyDecorator {
  return IsText(LONGEST_DESCRIPTION);
}

/** The property is a list of names, at least one and each once; whether there are such event types is another matter. */
export function IsListOfEventTypes(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isListOfEventTypes',
      validator: {
        validate: isListOfEventTypes,
        defaultMessage: () => 'types must be an array of the names of event types, at least one and each once',
      },
    },
    { context: { schema: { type: 'array', items: eventTypeSchema, minItems: 1, maxItems: 100, uniqueItems: true } } },
  );
}

/** Whether the rule of `IsListOfEventTypes` lets the value through. */
export function isListOfEventTypes(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string') && new Set(value).size === value.length
  );
}

/** The property is true or false. */
export function IsEnabled(): PropertyDecorator {
  return IsBoolean({ message: 'enabled must be true or false' });
}
