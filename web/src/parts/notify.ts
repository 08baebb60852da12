import { notifications } from '@mantine/notifications';
import { Problem } from '../api/client.ts';

export function tell(message: string): void {
  notifications.show({ message, color: 'seal', autoClose: 4000 });
}

export function tellFailure(error: Error): void {
  const first = error instanceof Problem ? error.errors[0] : undefined;
  notifications.show({
    title: error instanceof Problem ? error.title : 'It did not work',
    // A name in brackets is that of no field.
    message: first === undefined || first.Field.startsWith('(') ? error.message : `${first.Field}: ${first.Message}`,
    color: 'red',
    autoClose: 9000,
  });
}
