<?php

declare(strict_types=1);

use Tillseal\Client;
use Tillseal\Digits;
use Tillseal\Error\InvalidRequestException;
use Tillseal\Error\NoAnswerException;
use Tillseal\Error\NotFoundException;
use Tillseal\Error\AccessDeniedException;
use Tillseal\Error\UnavailableException;
use Tillseal\Error\WebhookException;
use Tillseal\ExactJson;
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
        $types = [
            400 => InvalidRequestException::class,
            403 => AccessDeniedException::class,
            404 => NotFoundException::class,
            429 => UnavailableException::class,
            502 => UnavailableException::class,
        ];
        foreach ($types as $status => $type) {
            $world->replyWith(refused($status, 'SomeCode', headers: ['Retry-After' => '7']));
            $problem = expectThrown($type, static fn () => $world->client->call('GET', '/api/x'));
            expectSame([$status, 'SomeCode', 'Not so.', null, 7], [
                $problem->status,
                $problem->code,
                $problem->detail,
                $problem->then,
                $problem->retryAfterSeconds,
            ]);
        }
        $world->replyWith(['Status' => 502, 'Body' => '<html>'], ['Body' => '<html>', 'Headers' => ['Content-Type' => 'text/html']]);
        expectThrown(NoAnswerException::class, static fn () => $world->client->call('GET', '/api/x'), '502 <html>');
        expectThrown(NoAnswerException::class, static fn () => $world->client->sign([]), 'not Tillseal');
        expectThrown(NoAnswerException::class, static fn () => (new Client('http://127.0.0.1:1', ''))->call('GET', '/'));
        expectThrown(InvalidArgumentException::class, static fn () => new Client('tillseal.example', ''));
    },

    'an answer without end is none' => static function (World $world): void {
        $world->replyWith(['Body' => str_repeat('x', 1024 * 1024), 'Times' => 40], ['Body' => str_repeat(' ', 1024 * 1024), 'Times' => 16]);
        expectThrown(NoAnswerException::class, static fn () => $world->client->call('GET', '/api/x'), 'longer than 16 MiB');
        expectThrown(NoAnswerException::class, static fn () => $world->client->call('GET', '/api/x'), 'not Tillseal');
        // Nor may it use up the memory of a small till.
        $world->replyWith(['Body' => str_repeat('x', 1024 * 1024), 'Times' => 40]);
        [$php, $program] = [array_slice($world->till('P'), 0, 1), array_slice($world->till('P'), 1)];
        $said = $world->output([...$php, '-d', 'memory_limit=32M', ...$program]);
        expectThat(str_contains($said, 'Signed'), $said . file_get_contents("$world->folder/stderr"));
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
        expectSame([1, 2, 3], array_column(iterator_to_array($world->client->events(waitSeconds: 0), false), 'Number'));
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
        expectThrown(WebhookException::class, static fn () => Webhook::verify($secret, $headers, "$body ", now: $now), 'does not match');
        expectThrown(WebhookException::class, static fn () => Webhook::verify($secret, $headers, $body), 'seconds away');
    },
];
