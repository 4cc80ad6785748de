package hostapitest

import "net/http"

// RealRefusals are answers with which services in common use refuse what was entered in a form, or an
// action. Each but those called "no words" holds the words Said, and words that say no more than the
// status does.
func RealRefusals() []NamedFault {
	refusal := func(name string, status int, body string) NamedFault {
		return NamedFault{name, Fault{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}}
	}
	return []NamedFault{
		refusal("Laravel", 422, `{"message":"The given data was invalid.","errors":{"name":["The name has already been taken."]}}`),
		refusal("Laravel since 9", 422, `{"message":"The name has already been taken.","errors":{"name":["The name has already been taken."]}}`),
		refusal("JSON:API", 422, `{"errors":[{"code":"ValidationException","status":"422","title":"Unprocessable Entity","detail":"The name has already been taken.","source":{"pointer":"/data/attributes/name"}}]}`),
		refusal("list of texts", 422, `{"errors":["The name has already been taken."]}`),
		refusal("NestJS", 400, `{"statusCode":400,"message":["The name has already been taken."],"error":"Bad Request"}`),
		refusal("class-validator", 400, `{"statusCode":400,"message":[{"target":{"name":"a b"},"value":"a b","property":"name","children":[],"constraints":{"isUnique":"The name has already been taken."}}],"error":"Bad Request"}`),
		refusal("problem details", 422, `{"type":"https://panel.example/taken","title":"Your request parameters didn't validate.","status":422,"detail":"The name has already been taken."}`),
		refusal("problem details, parameters", 400, `{"title":"Your request parameters didn't validate.","invalid-params":[{"name":"name","reason":"The name has already been taken."}]}`),
		refusal("ASP.NET", 400, `{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.1","title":"One or more validation errors occurred.","status":400,"errors":{"Name":["The name has already been taken."]},"traceId":"00-1-00"}`),
		refusal("reason", 422, `{"reason":"The name has already been taken."}`),
		refusal("ok is false", 200, `{"ok":false,"error":"The name has already been taken."}`),
		refusal("ok is false, 201", 201, `{"ok":false,"message":"The name has already been taken.","code":"name_taken"}`),
		refusal("object", 400, `{"error":{"type":"invalid_request_error","code":"name_taken","message":"The name has already been taken.","param":"name"}}`),
		refusal("Google", 400, `{"error":{"code":400,"message":"Invalid request","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"name","description":"The name has already been taken."}]}]}}`),
		refusal("FastAPI", 422, `{"detail":[{"type":"value_error","loc":["body","name"],"msg":"The name has already been taken.","input":{"message":"what was sent"},"ctx":{"error":{"message":"and more"}}}]}`),
		refusal("FastAPI, HTTPException", 400, `{"detail":"The name has already been taken."}`),
		refusal("OAuth", 400, `{"error":"invalid_request","error_description":"The name has already been taken."}`),
		refusal("msg", 400, `{"code":40001,"msg":"The name has already been taken."}`),
		refusal("field", 400, `{"errors":{"name":"The name has already been taken."}}`),
		refusal("Django REST", 400, `{"name":["The name has already been taken."]}`),
		refusal("Django REST, general", 400, `{"non_field_errors":["The name has already been taken."]}`),
		refusal("Django forms", 400, `{"name":[{"message":"The name has already been taken.","code":"unique"}]}`),
		refusal("nested", 422, `{"status":"error","data":{"message":"The name has already been taken."}}`),
		refusal("JSend", 400, `{"status":"fail","data":{"name":"The name has already been taken."}}`),
		refusal("GraphQL", 200, `{"ok":false,"data":null,"errors":[{"message":"The name has already been taken.","locations":[{"line":2,"column":3}],"path":["createServer"],"extensions":{"code":"BAD_USER_INPUT","exception":{"stacktrace":["Error: at createServer"]}}}]}`),
		refusal("Spring", 400, `{"timestamp":"2026-11-28T07:00:00Z","status":400,"error":"Bad Request","message":"Validation failed","errors":[{"codes":["Unique.server.name","Unique.name"],"arguments":[{"codes":["server.name"],"defaultMessage":"name of it","code":"name"}],"defaultMessage":"The name has already been taken.","objectName":"server","field":"name","rejectedValue":"a b","code":"Unique"}],"path":"/api/bot/servers"}`),
		refusal("Zod", 400, `{"success":false,"error":{"issues":[{"code":"custom","path":["name"],"message":"The name has already been taken."}],"name":"ZodError"}}`),
		refusal("Zod, flat", 400, `{"formErrors":[],"fieldErrors":{"name":["The name has already been taken."]}}`),
		refusal("Zod, formatted", 400, `{"_errors":[],"name":{"_errors":["The name has already been taken."]}}`),
		refusal("express-validator", 400, `{"errors":[{"type":"field","value":"a b","msg":"The name has already been taken.","path":"name","location":"body"}]}`),
		refusal("celebrate", 400, `{"statusCode":400,"error":"Bad Request","message":"Validation failed","validation":{"body":{"source":"body","keys":["name"],"message":"The name has already been taken."}}}`),
		refusal("Symfony", 422, `{"@type":"ConstraintViolationList","hydra:title":"An error occurred","violations":[{"propertyPath":"name","message":"The name has already been taken.","code":"23bd9dbf-6b9b-41cd-a99e-4844bcf3077f"}]}`),
		refusal("capitals", 400, `{"Message":"The name has already been taken."}`),
		refusal("JSON in a text", 422, `{"message":"[422] during [POST]: [{\"message\":\"The name has already been taken.\"}]"}`),
		refusal("a text", 400, `"The name has already been taken."`),
		refusal("texts", 400, `["The name has already been taken."]`),
		refusal("objects", 400, `[{"message":"The name has already been taken."}]`),
		refusal("BOM", 400, "\ufeff"+`{"error":"The name has already been taken."}`),
		{"plain text", Fault{Status: 422, Header: http.Header{"Content-Type": {"text/plain"}}, Body: "The name has already been taken.\n"}},

		refusal("no words", 422, ``),
		refusal("no words: the status", 400, `{"statusCode":400,"error":"Bad Request","message":"400 Bad Request"}`),
		refusal("no words: a figure", 400, `{"error":17,"details":{"max":"20"},"data":{"name":"a b"}}`),
		refusal("no words: half of it", 422, `{"message":"The name has already been`),
		refusal("no words: a dump", 422, "{'name': [ErrorDetail(string='The name has already been taken.', code='unique')]}"),
		refusal("no words: JSON cut in a text", 422, `{"message":"failed: {\"errors\":{\"name\":[\"The na"}`),
	}
}

// Said is what each of RealRefusals says.
const Said = "The name has already been taken."
