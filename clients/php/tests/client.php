<?php

declare(strict_types=1);

use Tillseal\Client;
use Tillseal\Digits;
use Tillseal\Error\InvalidRequest;
use Tillseal\Error\NoAnswer;
use Tillseal\Error\NotFound;
use Tillseal\Error\Unauthorized;
use Tillseal\Error\Unavailable;
use Tillseal\Error\WebhookError;
use Tillseal\ExactJson;
use Tillseal\TaxSums;
use Tillseal\Webhook;

return [
    'sign, check and calculate send the receipt' => static function (World $world): void {
        $answer = ['Body' => '{"TotalAmount":0.30}'];
        $world->replyWith($answer, $answer, $answer, $answer);
        $receipt = ['TotalAmount' => '0.30'];
        expectSame($receipt, $world->client->sign($receipt));
        expectSame($receipt, $world->client->check($receipt));
        expectSame($receipt, $world->client->calculate($receipt));
        expectSame($receipt, $world->client->sign($receipt, late: true));
        expectSame(
            ['/api/receipt/sign', '/api/receipt/check', '/api/receipt/calculate', '/api/receipt/sign'],
            array_column($world->asked(), 'Path'),
        );
        expectSame([false, false, false, true], array_column($world->asked(), 'IsLate'));
        expectSame('{"TotalAmount":"0.30"}', $world->asked()[0]['Text']);
    },

    'call reaches everything else' => static function (World $world): void {
        $client = new Client("$world->url/behind/", 't');
        $world->replyWith(['Body' => '%PDF', 'Headers' => ['Content-Type' => 'application/pdf']], ['Status' => 204]);
        expectSame('%PDF', $client->call('GET', '/api/receipt/A%2F1/print', query: ['format' => 'pdf', 'no' => null]));
        expectSame('/behind/api/receipt/A%2F1/print?format=pdf', $world->asked()[0]['Path']);
        expectSame(null, $client->call('POST', '/api/x'));
    },

    'errors have types' => static function (World $world): void {
        $types = [400 => InvalidRequest::class, 403 => Unauthorized::class, 404 => NotFound::class, 429 => Unavailable::class, 502 => Unavailable::class];
        foreach ($types as $status => $type) {
            $world->replyWith(refused($status, 'SomeCode'));
            $problem = expectThrown($type, static fn () => $world->client->call('GET', '/api/x'));
            expectSame([$status, 'SomeCode'], [$problem->status, $problem->problemCode]);
        }
        expectThrown(NoAnswer::class, static fn () => (new Client('http://127.0.0.1:1', ''))->call('GET', '/'));
        expectThrown(InvalidArgumentException::class, static fn () => new Client('tillseal.example', ''));
    },

    'events come in order, once, and survive an outage' => static function (World $world): void {
        $page = static fn (int ...$numbers) => ['Body' => ['Events' => array_map(static fn (int $number) => ['Number' => $number], $numbers)]];
        $world->replyWith(['IsLost' => true], $page(2, 3), refused(503), $page(4));
        $numbers = [];
        foreach ($world->client->events(after: 1) as $event) {
            $numbers[] = $event['Number'];
            if (count($numbers) === 3) {
                break;
            }
        }
        expectSame([2, 3, 4], $numbers);
        expectThat(str_contains($world->asked()[3]['Path'], 'After=3&Wait=30'), 'goes on after the last one');
        $world->replyWith($page(1, 2), $page(3), $page());
        expectSame([1, 2, 3], array_column(iterator_to_array($world->client->events(wait: 0), false), 'Number'));
    },

    'without the curl extension it uses streams' => static function (World $world): void {
        $world->replyWith(
            ['Status' => 302, 'Headers' => ['Location' => "$world->url/elsewhere"]],
            ['Body' => '{"Reference":"P', 'Headers' => ['Content-Length' => '100']],
        );
        $words = [PHP_BINARY, '-n', __DIR__ . '/../till.php', 'sell', '--url', $world->url, '--token', 't', '--journal', $world->journal];
        [, $pipes] = $world->start([...$words, '--device', '1', '--sales', '1', '--prefix', 'P', '--deadline-ms', '30000']);
        expectSame('{"Reference":"P-1","Outcome":"Signed","GlobalCounter":17}', trim((string) stream_get_contents($pipes[1])));
        expectSame(['P-1', 'P-1', 'P-1'], $world->references());
        $world->replyWith(['Body' => '{}', 'Headers' => ['Content-Length' => '100']]);
        $program = "require '" . __DIR__ . "/../src/autoload.php'; (new Tillseal\\Client('$world->url', ''))->call('GET', '/');";
        [, $pipes] = $world->start([PHP_BINARY, '-n', '-r', $program]);
        expectThat(str_contains((string) stream_get_contents($pipes[1]), 'broke off'), 'half an answer is none');
    },

    'decimals are exact both ways, and floats are refused' => static function (World $world): void {
        $text = '{"a":9999999999999999.99,"b":[12.50,-0.000001,100,1e3],"c":null,"d":"1.5 \"2.5\\\\"}';
        $value = ['a' => '9999999999999999.99', 'b' => ['12.50', '-0.000001', 100, '1e3'], 'c' => null, 'd' => '1.5 "2.5\\'];
        expectSame($value, ExactJson::decode($text));
        expectSame($value, ExactJson::decode(ExactJson::encode($value)));
        expectSame(str_repeat('ab"', 100_000), ExactJson::decode(json_encode(str_repeat('ab"', 100_000))));
        expectThrown(InvalidArgumentException::class, static fn () => ExactJson::encode(['a' => [0.1]]), 'not exact');
    },

    'whole numbers of any length agree with those of PHP' => static function (World $world): void {
        foreach ([0, 1, 5, 9, 10, 99, 105, 999, 1000, 123_456, 999_999] as $left) {
            foreach ([0, 1, 9, 10, 95, 100, 999, 1001, 999_999] as $right) {
                foreach ([[1, 1], [1, -1], [-1, 1], [-1, -1]] as [$one, $other]) {
                    expectSame((string) ($one * $left + $other * $right), Digits::add((string) ($one * $left), (string) ($other * $right)));
                }
            }
        }
        expectSame('99999999999999999998', Digits::add('99999999999999999999', '-1'));
        expectSame('1', Digits::add('-99999999999999999998', '99999999999999999999'));
        expectSame(['0', '2', '2', '-2', '4'], array_map(
            static fn (string $number) => Digits::scale($number, 1, 2),
            ['1', '3', '5', '-3', '7'],
        ));
        expectThrown(InvalidArgumentException::class, static fn () => Digits::fromDecimal('1.001', 2, 'LineTotal'), 'LineTotal');
        expectThrown(InvalidArgumentException::class, static fn () => Digits::fromDecimal("1\n", 2, 'LineTotal'));
    },

    'tax sums of the guide' => static function (World $world): void {
        $sums = TaxSums::of([
            ['LineTotal' => '3.50', 'TaxPercent' => '15.5'],
            ['LineTotal' => 2, 'TaxPercent' => 0],
            ['LineTotal' => '1', 'TaxPercent' => null],
        ], taxInclusive: true);
        expectSame('6.50', $sums->totalAmount);
        expectSame(['0.47', '0.00', '0.00'], array_column($sums->taxes, 'TaxAmount'));
    },

    'webhooks agree with the example of the specification' => static function (World $world): void {
        $secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
        $body = '{"test": 2432232314}';
        $now = 1614265330;
        $headers = [
            'Webhook-Id' => 'msg_p5jXN8AQM9LWM0D4loKWxJek',
            'Webhook-Timestamp' => "$now",
            'Webhook-Signature' => 'v1,bm90IHRoaXM= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        ];
        expectSame(['test' => 2432232314], Webhook::verify($secret, $headers, $body, now: $now));
        foreach ([
            [$headers, "$body ", $now],
            [$headers, $body, $now + 301],
            [['Webhook-Id' => 'msg_other'] + $headers, $body, $now],
            [['Webhook-Timestamp' => 'soon'] + $headers, $body, $now],
            [['Webhook-Id' => 'x'], $body, $now],
            [$headers, $body, null],
        ] as [$wrong, $text, $moment]) {
            expectThrown(WebhookError::class, static fn () => Webhook::verify($secret, $wrong, $text, now: $moment));
        }
    },
];
