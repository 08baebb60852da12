using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Tillseal
{
    /// <summary>
    /// Calls Tillseal, with one attempt per call; an <see cref="Outbox"/> adds what a till needs. Safe for use from several threads; create one and keep it.
    /// </summary>
    public sealed class Client : IDisposable
    {
        private readonly HttpClient http;
        private readonly TimeSpan timeout;

        /// <param name="url">Where Tillseal is, for example https://tillseal.example.com.</param>
        /// <param name="token">Of the taxpayer (tsk_…) or the vendor (tsv_…).</param>
        /// <param name="timeout">The longest time for an attempt: 30 seconds by default.</param>
        /// <param name="handler">Your own, for a proxy for example. It must not follow redirects.</param>
        public Client(string url, string token, TimeSpan? timeout = null, HttpMessageHandler handler = null)
        {
            if (string.IsNullOrEmpty(token)) throw new ArgumentException("a token is needed: an operator issues it", nameof(token));
            this.timeout = timeout ?? TimeSpan.FromSeconds(30);
            http = new HttpClient(handler ?? new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false, MaxConnectionsPerServer = 64 })
            {
                BaseAddress = new Uri(url.TrimEnd('/') + "/"),
                MaxResponseContentBufferSize = 16 << 20,
                // Each call has its own: shorter for the outbox, longer when it waits for events.
                Timeout = Timeout.InfiniteTimeSpan,
            };
            http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", token);
            http.DefaultRequestHeaders.UserAgent.ParseAdd("tillseal-csharp/0.3.0");
            http.DefaultRequestHeaders.ExpectContinue = false;
        }

        /// <summary>Signs a receipt. After a <see cref="NoAnswerException"/> or <see cref="UnavailableException"/> send the same one again.</summary>
        /// <param name="late">It was sold a while ago: if its date is too old for the device, the next possible one is signed.</param>
        public async Task<SignedReceipt> SignAsync(Receipt receipt, bool late = false, CancellationToken cancellation = default(CancellationToken))
        {
            var answer = await SendAsync(SignRequest(Json.Write(receipt), late), timeout, cancellation).ConfigureAwait(false);
            return answer.AsSigned(receipt.Reference);
        }

        /// <summary>Checks a receipt against every rule; nothing is sealed. Returns it as it would be signed.</summary>
        public Task<Receipt> CheckAsync(Receipt receipt, CancellationToken cancellation = default(CancellationToken)) =>
            CallAsync<Receipt>("POST", "/api/receipt/check", receipt, null, cancellation);

        /// <summary>Completes Taxes, TotalAmount and the amount of a single payment. <see cref="TaxSums.Complete"/> does the same offline.</summary>
        public Task<Receipt> CalculateAsync(Receipt receipt, CancellationToken cancellation = default(CancellationToken)) =>
            CallAsync<Receipt>("POST", "/api/receipt/calculate", receipt, null, cancellation);

        /// <summary>Opens a till's outbox (docs/outbox.md), or creates it. Keep it as long as the program runs.</summary>
        /// <param name="file">On a local disk, for example /var/lib/till/till.outbox.</param>
        /// <param name="connect">Makes a connection to that file, of the SQLite package that you use; it is opened, used for one transaction and disposed.</param>
        /// <param name="deadline">How long SellAsync tries before it answers Queued: 5 seconds by default.</param>
        /// <param name="report">Is told what a person should know, from any thread; by default it is written to standard error.</param>
        /// <exception cref="OutboxException">It cannot be opened, is damaged, or is not an outbox.</exception>
        public Task<Outbox> OpenOutboxAsync(string file, Func<string, DbConnection> connect, TimeSpan? deadline = null, Action<Report> report = null) =>
            OpenOutboxAsync(file, connect, deadline, report, new Clock());

        internal Task<Outbox> OpenOutboxAsync(string file, Func<string, DbConnection> connect, TimeSpan? deadline, Action<Report> report, Clock clock)
        {
            if (connect == null) throw new ArgumentNullException(nameof(connect), "an outbox needs SQLite: install the package Microsoft.Data.Sqlite, and give a function that makes a connection");
            // Made absolute now, because a program may change its folder at any time.
            var path = Path.GetFullPath(file);
            return Task.Run(() => new Outbox(this, path, connect, deadline ?? TimeSpan.FromSeconds(5), report, clock));
        }

        /// <summary>Reads what happened, in order, from the event after this number; 0 for all.</summary>
        /// <param name="wait">How long one request waits for the next event: 30 seconds by default. With 0 the reading ends with the last event there is.</param>
        public EventReader Events(long after = 0, TimeSpan? wait = null) => new EventReader(this, after, wait ?? TimeSpan.FromSeconds(30), timeout);

        /// <summary>Any other operation of the API; <c>/docs</c> lists them.</summary>
        /// <typeparam name="T">An object with properties named as in the answer, or <c>Dictionary&lt;string, object&gt;</c>.</typeparam>
        /// <param name="path">For example <c>/api/receipt</c>; use <see cref="Uri.EscapeDataString"/> for what you put into it.</param>
        /// <param name="body">Written as JSON; null for none.</param>
        public async Task<T> CallAsync<T>(string method, string path, object body = null, IEnumerable<KeyValuePair<string, object>> query = null, CancellationToken cancellation = default(CancellationToken))
        {
            var words = (query ?? new Dictionary<string, object>()).Select(each => $"{Uri.EscapeDataString(each.Key)}={Uri.EscapeDataString(Json.Word(each.Value))}").ToList();
            var address = words.Count == 0 ? path : $"{path}?{string.Join("&", words)}";
            var answer = await SendAsync(Request(method, address, body == null ? null : Json.Write(body)), timeout, cancellation).ConfigureAwait(false);
            return answer.As<T>();
        }

        internal HttpRequestMessage SignRequest(string body, bool late)
        {
            var request = Request("POST", "/api/receipt/sign", body);
            if (late) request.Headers.Add("Late-Receipt", "true");
            return request;
        }

        internal HttpRequestMessage Request(string method, string path, string body)
        {
            var request = new HttpRequestMessage(new HttpMethod(method), path.TrimStart('/'));
            request.Headers.Accept.ParseAdd("application/json");
            if (body != null) request.Content = new StringContent(body, new UTF8Encoding(false), "application/json");
            return request;
        }

        /// <summary>One attempt: an answer with any status, or NoAnswerException.</summary>
        internal async Task<Answer> SendAsync(HttpRequestMessage request, TimeSpan timeout, CancellationToken cancellation)
        {
            using (request)
            using (var giveUp = CancellationTokenSource.CreateLinkedTokenSource(cancellation))
            {
                giveUp.CancelAfter(timeout > TimeSpan.Zero ? timeout : TimeSpan.Zero);
                try
                {
                    using (var response = await http.SendAsync(request, HttpCompletionOption.ResponseContentRead, giveUp.Token).ConfigureAwait(false))
                    {
                        // Not ReadAsStringAsync, which uses the charset that the answer names and throws if it does not know it.
                        var bytes = await response.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                        var headers = response.Headers.ToDictionary(header => header.Key, header => header.Value.First(), StringComparer.OrdinalIgnoreCase);
                        return new Answer((int)response.StatusCode, Encoding.UTF8.GetString(bytes), headers);
                    }
                }
                catch (OperationCanceledException error)
                {
                    cancellation.ThrowIfCancellationRequested();
                    throw new NoAnswerException($"no answer within {timeout.TotalSeconds.ToString("0.#", CultureInfo.InvariantCulture)} s", error);
                }
                // Any exception of a broken network, proxy or certificate.
                catch (Exception error)
                {
                    throw new NoAnswerException($"no answer: {(error.InnerException ?? error).Message}", error);
                }
            }
        }

        public void Dispose() => http.Dispose();
    }
}
