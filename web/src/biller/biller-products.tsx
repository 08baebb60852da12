import { Button, Group, Paper, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useMay } from '../api/session.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import { Panel } from '../parts/panel.tsx';
import { newProduct, type ProductDraft, priceCurrencies } from './biller-draft.ts';
import type { BillerFormProps } from './biller-sections.tsx';

export function Products({ form }: Pick<BillerFormProps, 'form'>) {
  const mayEdit = useMay('PUT /api/admin/billers/:billerCode');
  const draft = form.values;
  return (
    <Panel title="Products">
      <Text c="dimmed">
        What is sold. Without products the vendor sends an amount; a currency without a price leaves it to the vendor.
      </Text>
      {draft.Products.map((product, index) => (
        <Product key={product.id} form={form} product={product} index={index} />
      ))}
      {mayEdit && (
        <Group>
          <Button
            {...ADD_LOOK}
            variant="default"
            size="xs"
            onClick={() => form.insertListItem('Products', newProduct(draft))}
          >
            Add a product
          </Button>
        </Group>
      )}
    </Panel>
  );
}

function Product(props: Pick<BillerFormProps, 'form'> & { readonly product: ProductDraft; readonly index: number }) {
  const { form, product, index } = props;
  const mayEdit = useMay('PUT /api/admin/billers/:billerCode');
  const sent = priceCurrencies(form.values, product);
  const at = `Products.${index}` as const;
  const named = (label: string) => ({ label, 'aria-label': `Product ${index + 1}: ${label}` });
  return (
    <Paper withBorder p="sm">
      <Stack gap="sm">
        <Group justify="space-between">
          <Switch {...named('Sold')} {...form.getInputProps(`${at}.Enabled`, { type: 'checkbox' })} />
          {mayEdit && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              aria-label={`Remove product ${index + 1}`}
              onClick={() => form.removeListItem('Products', index)}
            >
              Remove
            </Button>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          {(['Code', 'Name', 'Description'] as const).map((name) => (
            <TextInput key={name} {...named(name)} {...form.getInputProps(`${at}.${name}`)} />
          ))}
        </SimpleGrid>
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
          {form.values.Currencies.map((currency) => (
            <TextInput
              key={currency}
              {...named(`Price in ${currency}`)}
              placeholder="up to the vendor"
              inputMode="decimal"
              value={product.Prices[currency] ?? ''}
              onChange={({ currentTarget: { value } }) =>
                form.setFieldValue(`${at}.Prices`, { ...product.Prices, [currency]: value })
              }
              error={form.errors[`${at}.Prices.${sent.indexOf(currency)}.Price`]}
            />
          ))}
        </SimpleGrid>
        <Textarea
          {...named('Metadata')}
          description="A line each, as Key: Value. The feed shows it with each payment of this product."
          autosize
          {...form.getInputProps(`${at}.MetaData`)}
        />
      </Stack>
    </Paper>
  );
}
