import { Button, Center } from '@mantine/core';

export function More(props: {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
}) {
  if (!props.hasNextPage) return null;
  return (
    <Center p="md">
      <Button variant="default" loading={props.isFetchingNextPage} onClick={() => void props.fetchNextPage()}>
        Show more
      </Button>
    </Center>
  );
}
