// Runs Verify.cs over cases that come line by line, see tests/data/receivers_test.ts.
using System;
using System.Linq;
using System.Text;

public static class Check
{
    public static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var words = line.Split('\t');
            var header = words[0] == "-" ? null : Text(words[0]);
            var secrets = words[3].Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries);
            var now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(words[2]));
            var body = Convert.FromBase64String(words[1]);
            var v1 = WattkeeperWebhook.VerifyHmac(header, body, secrets.Select(Text), now);
            Console.WriteLine(v1 ? "true -" : "false -");
        }
    }

    private static string Text(string word)
    {
        return Encoding.UTF8.GetString(Convert.FromBase64String(word));
    }
}
