import { ActionIcon, Box, Button, Group, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { Icon } from '../parts/icons.tsx';
import { Panel } from '../parts/panel.tsx';
import { useMay } from '../shell/session.tsx';
import { newProduct, type ProductDraft, priceCurrencies } from './biller-draft.ts';
import type { BillerFormProps } from './biller-sections.tsx';

export function Products(props: BillerFormProps) {
  const { draft, problem, onChange } = props;
  const mayEdit = useMay('operator');
  return (
    <Panel title="Products">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          What is sold. Without products the vendor sends an amount; a currency without a price leaves it to the vendor.
        </Text>
        {draft.Products.map((product, index) => (
          <Product key={product.id} {...props} product={product} index={index} />
        ))}
        {problem?.errorAt('Products') !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)">
            {problem.errorAt('Products')}
          </Text>
        )}
        {mayEdit && (
          <Group>
            <Button
              variant="default"
              size="xs"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => onChange({ Products: [...draft.Products, newProduct(draft)] })}
            >
              Add a product
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

function Product({
  draft,
  problem,
  onChange,
  product,
  index,
}: BillerFormProps & { readonly product: ProductDraft; readonly index: number }) {
  const mayEdit = useMay('operator');
  const set = (change: Partial<ProductDraft>) =>
    onChange({ Products: draft.Products.map((one) => (one.id === product.id ? { ...one, ...change } : one)) });
  const remove = () => onChange({ Products: draft.Products.filter((one) => one.id !== product.id) });
  const sent = priceCurrencies(draft, product);
  const errorOf = (name: string) => problem?.errorAt(`Products[${index}].${name}`);
  const name = `Product ${index + 1}`;
  const field = (key: 'Code' | 'Name' | 'Description', label: string) => (
    <TextInput
      label={label}
      aria-label={`${name}: ${label}`}
      size="sm"
      value={product[key]}
      onChange={(event) => set({ [key]: event.currentTarget.value })}
      error={errorOf(key)}
    />
  );
  return (
    <Box
      p="sm"
      style={{ border: '1px solid var(--mantine-color-default-border)', borderRadius: 'var(--mantine-radius-md)' }}
    >
      <Stack gap="sm">
        <Group justify="space-between">
          <Switch
            size="sm"
            label="Sold"
            aria-label={`${name}: sold`}
            checked={product.Enabled}
            onChange={(event) => set({ Enabled: event.currentTarget.checked })}
          />
          {mayEdit && (
            <ActionIcon variant="subtle" color="gray" aria-label={`Remove product ${index + 1}`} onClick={remove}>
              ×
            </ActionIcon>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          {field('Code', 'Code')}
          {field('Name', 'Name')}
          {field('Description', 'Description')}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
          {draft.Currencies.map((currency) => (
            <TextInput
              key={currency}
              label={`Price in ${currency}`}
              aria-label={`${name}: price in ${currency}`}
              placeholder="up to the vendor"
              inputMode="decimal"
              value={product.Prices[currency] ?? ''}
              onChange={(event) => set({ Prices: { ...product.Prices, [currency]: event.currentTarget.value } })}
              error={errorOf(`Prices[${sent.indexOf(currency)}].Price`)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </Box>
  );
}
